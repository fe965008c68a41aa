#[test]
fn test_longest_run() {
    assert_eq!(longest_run(vec![]), 0);
    assert_eq!(longest_run(vec![7]), 1);
    assert_eq!(longest_run(vec![1, 1, 2, 2, 2, 1]), 3);
    assert_eq!(longest_run(vec![3, 3, 3, 3]), 4);
    assert_eq!(longest_run(vec![1, 2, 3]), 1);
    assert_eq!(longest_run(vec![5, 1, 1]), 2);
}
