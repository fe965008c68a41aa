public int workingDays(LocalDate start, LocalDate end) {
    int days = 0;
    for (LocalDate day = start; !day.isAfter(end); day = day.plusDays(1)) {
        if (day.getDayOfWeek().getValue() <= 5) {
            days++;
        }
    }
    return days;
}
