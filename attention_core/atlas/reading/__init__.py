"""Read an atlas from its folder: heads, portraits, relations, search and comparison."""
