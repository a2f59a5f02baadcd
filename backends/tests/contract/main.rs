//! The contract of the border, kept by every medium and every middleware.

#![expect(clippy::unwrap_used, reason = "the helpers of these tests fail as the tests do")]

mod failing;
mod media;

use std::sync::Arc;

use media::*;
use mqstore_backends::contract;
use mqstore_backends::mem::{HeapPool, MemMedium, MemPool};
use mqstore_backends::over::{Ahead, FaultPlan, Faulty, Trace, Traced};

contract!(mem, || (mem(), ()));
contract!(mem_without_an_allocator, || {
    let memory = Box::leak(vec![0; 1 << 20].into_boxed_slice());
    (MemMedium::new(&*Box::leak(Box::new(MemPool::<64>::new(memory)))), ())
});
contract!(mem_staged_in_a_short_buffer, || (mem_staged(1024), ()));
contract!(mem_staged_in_a_whole_buffer, || (mem_staged(contract::CAPACITY), ()));
contract!(mmap, || folder(None));
contract!(mmap_with_a_pool, || folder(Some(pool(4, contract::CAPACITY))));
contract!(mmap_with_a_pool_of_short_buffers, || folder(Some(pool(4, 1024))));
contract!(mmap_with_a_pool_written_ahead, || {
    let mut staging = pool(4, 1024);
    staging.written_ahead = true;
    folder(Some(staging))
});
contract!(mmap_with_an_empty_pool, || folder(Some(pool(0, contract::CAPACITY))));

contract!(faulty_over_mem, || (Faulty::new(mem(), Arc::new(FaultPlan::new())), ()));
contract!(faulty_over_mem_staged, || {
    (Faulty::new(mem_staged(1024), Arc::new(FaultPlan::new())), ())
});
contract!(faulty_over_mmap, || {
    let (medium, dir) = folder(None);
    (Faulty::new(medium, Arc::new(FaultPlan::new())), dir)
});
contract!(traced_over_mem, || (Traced::new(mem(), Arc::new(Trace::new())), ()));
contract!(traced_over_mmap, || {
    let (medium, dir) = folder(None);
    (Traced::new(medium, Arc::new(Trace::new())), dir)
});
contract!(ahead_over_mem, || (Ahead::new(mem()), ()));
contract!(ahead_over_mem_staged, || (Ahead::new(mem_staged(1024)), ()));
contract!(ahead_over_mmap, || {
    let (medium, dir) = folder(None);
    (Ahead::new(medium), dir)
});
contract!(ahead_over_mmap_with_a_pool, || {
    let (medium, dir) = folder(Some(pool(4, contract::CAPACITY)));
    (Ahead::new(medium), dir)
});
contract!(all_of_them_over_mmap, || {
    let (medium, dir) = folder(None);
    let faulty = Faulty::new(medium, Arc::new(FaultPlan::new()));
    (Traced::new(Ahead::new(faulty), Arc::new(Trace::new())), dir)
});
