// The judge's first argument is its descriptor. When its tests have returned, it reports their end.
namespace aixgrade {
__attribute__((constructor)) static void begin(int, char** arguments) { descriptor = std::atoi(arguments[1]); }
struct Finish {
    ~Finish() {
        send('E', std::string());
        receive();
        send('R', in);
    }
};
static Finish finish;
}  // namespace aixgrade
