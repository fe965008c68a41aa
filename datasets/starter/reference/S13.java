public int ageOn(LocalDate birthday, LocalDate day) {
    if (day.isBefore(birthday)) {
        throw new IllegalArgumentException(day + " is before " + birthday);
    }
    return Period.between(birthday, day).getYears();
}
