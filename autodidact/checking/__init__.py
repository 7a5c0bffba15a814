"""What `autodidact.check` is made of: words, reading and comparing, the kinds of exercise."""
