" Vim knows .pld as another language.
autocmd BufNewFile,BufRead *.pld set filetype=pld
