// Finds a name's address in one eth_call where the multicall cannot run: before Byzantium there is neither STATICCALL,
// REVERT nor RETURNDATASIZE. A program that no chain has, sent in the data of an eth_call.
//
// Appended to the code: price of a returned byte (2 bytes; not needed) | registry (20) | resolver(node) (36) |
// addr(node) (36)
// Answered: the head of every program, see multicall.yul | the word that the registry's resolver answered; zero where there is
// none.
object "NameProgram" {
  code {
    // The head, above all that is written later, from its last field to its first. Its gas is not said.
    mstore(0x100, timestamp())
    mstore(0xf8, number())
    mstore(0xec, 96)
    mstore(0xe8, MARKER)
    mstore(0x120, blockhash(sub(number(), 1)))
    codecopy(0, add(datasize("NameProgram"), 2), 92)
    let registry := div(mload(0), 0x1000000000000000000000000)
    // Where the call fails, or there is no code, this stays zero.
    mstore(0x80, 0)
    pop(call(div(gas(), 4), registry, 0, 20, 36, 0x80, 32))
    let resolver := mload(0x80)
    mstore(0x80, 0)
    if and(gt(resolver, 0), lt(resolver, 0x10000000000000000000000000000000000000000)) {
      // Asked twice, over zeros and over ones: what was not written in whole comes out different.
      mstore(0xa0, not(0))
      let one := call(div(gas(), 3), resolver, 0, 56, 36, 0x80, 32)
      let other := call(div(gas(), 2), resolver, 0, 56, 36, 0xa0, 32)
      if iszero(and(and(one, other), eq(mload(0x80), mload(0xa0)))) { mstore(0x80, 0) }
    }
    mstore(0x140, mload(0x80))
    FINISH(0x100, 96)
  }
}
