"""Parts of tools/hostile. starts.py has the valid calls, values.py and damage.py what is put into them."""
