"""Parts of tools/hostile. starts.py has the valid calls, values.py and damage.py the changes of their words
and files."""
