fn initials(name: &str) -> String {
    name.split_whitespace().filter_map(|word| word.chars().next()).map(|letter| letter.to_ascii_uppercase()).collect()
}
