"""Small projects that `holdfast init` writes; files end in .template so that nothing runs here."""
