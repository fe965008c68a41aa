#[test]
fn test_initials() {
    assert_eq!(initials("ada lovelace"), "AL");
    assert_eq!(initials("  grace   brewster hopper "), "GBH");
    assert_eq!(initials("X"), "X");
    assert_eq!(initials("   "), "");
    assert_eq!(initials(""), "");
}
