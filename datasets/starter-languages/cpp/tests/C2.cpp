#undef NDEBUG
#include<assert.h>
int main(){
    assert (initials("ada lovelace") == "AL");
    assert (initials("  grace   brewster hopper ") == "GBH");
    assert (initials("X") == "X");
    assert (initials("   ") == "");
    assert (initials("") == "");
}
