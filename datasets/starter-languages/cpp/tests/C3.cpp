#undef NDEBUG
#include<assert.h>
int main(){
    assert (longest_run({}) == 0);
    assert (longest_run({7}) == 1);
    assert (longest_run({1, 1, 2, 2, 2, 1}) == 3);
    assert (longest_run({3, 3, 3, 3}) == 4);
    assert (longest_run({1, 2, 3}) == 1);
    assert (longest_run({5, 1, 1}) == 2);
}
