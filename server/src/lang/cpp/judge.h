// The judge's descriptor is its program's first argument; when its tests have returned, it says so.
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
