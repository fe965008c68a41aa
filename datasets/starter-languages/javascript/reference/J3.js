const longestRun = (numbers) => {
  let longest = 0;
  let current = 0;
  numbers.forEach((number, at) => {
    current = at > 0 && number === numbers[at - 1] ? current + 1 : 1;
    longest = Math.max(longest, current);
  });
  return longest;
};
