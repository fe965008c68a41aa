#undef NDEBUG
#include<assert.h>
int main(){
    assert (clamp(5, 1, 10) == 5);
    assert (clamp(10, 1, 10) == 10);
    assert (clamp(-3, 1, 10) == 1);
    assert (clamp(99, 1, 10) == 10);
    assert (clamp(9, 4, 4) == 4);
}
