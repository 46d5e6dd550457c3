p __ENCODING__, __LINE__, "after a mark"
