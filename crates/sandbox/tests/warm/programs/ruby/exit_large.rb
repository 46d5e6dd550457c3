exit 259
