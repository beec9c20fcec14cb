// The deployless multicall: a program that no chain has. Sent in the data of an eth_call, it runs any number of calls
// inside one EVM execution, so that all of them see the same block, and says which block that was. How its answer comes
// back is the carrier's: FINISH is RETURN or REVERT; see carriers/.
//
// Appended to the code: price of a returned byte, in gas (2 bytes), then one item after another, each a whole one:
//   flags (1 byte) | target (20) | gas cap (4) | most bytes wanted (2) | calldata length (2) | calldata
// or, with flag 0x10, the item before with another account:
//   flags (1) | address (20), which takes the place of the calldata's last 20 bytes; of the target where the cap is 0
// Gas cap 0 asks for the target's wei (most bytes 32) or its wei and code size (64) instead of calling it. Flag 0x80 makes
// the call a CALL (as a plain eth_call would), otherwise it is a STATICCALL; flag 0x40 calls, in place of the target, the
// address that the item before returned (none, where it returned none); flag 0x20 tries a call with all gas that is left
// where its cap is not.
// Answered:
//   marker (8) | length of all (4) | gas at the beginning (4; 0xffffffff for more) | number (8) | timestamp (8) | hash of
//   the parent block (32), then for each item
//   status (1: 0 failed, 1 succeeded, 2 not tried, or failed with less than its cap) | gas used (4) | size returned (4) |
//   the first min(size, most) bytes
//
// The caps may sum up to more gas than there is: an item is tried only where its whole cap is left, and beside it what
// the rest of the run costs if no other item is tried.
//
// HEIGHT and PARENT are the EVM's NUMBER and BLOCKHASH. On Arbitrum NUMBER is the height of the first layer, so a second variant
// asks the precompiled contract ArbSys for both (https://docs.arbitrum.io/build-decentralized-apps/precompiles/reference);
// where that does not answer, the height is 2^64 - 1, which no block has.
//
// Only Byzantium's instructions are used, so that it runs from block 4,370,000 on. Each question carries the program, so
// it is kept short: a field is read by the word that ends with it, and instructions take an address by its last 20 bytes.
object "Multicall" {
  code {
    // Memory: 0x00 price | 0x20 target | 0x40 cap | 0x60 most | 0x80 calldata | 0xa0 its length | 0xc0 address returned last
    // | 0xe0 begin of the answer | 0x100 program and input
    let end := add(0x100, codesize())
    codecopy(0x100, 0, codesize())
    mstore(0x00, and(mload(add(datasize("Multicall"), 0xe2)), 0xffff))
    // One word of room, for the head is written by words that begin before it.
    mstore(0xe0, add(end, 32))
    let out := mload(0xe0)
    let granted := gas()
    if gt(granted, 0xffffffff) { granted := 0xffffffff }
    // From the last field to the first: the word that ends with a field writes zeros before it.
    mstore(out, timestamp())
    mstore(sub(out, 8), HEIGHT)
    mstore(sub(out, 16), granted)
    mstore(add(out, 32), PARENT)
    out := add(out, 64)
    for { let at := add(datasize("Multicall"), 0x102) } lt(at, end) { } {
      let flags := byte(0, mload(at))
      switch and(flags, 0x10)
      case 0 {
        mstore(0x20, mload(sub(at, 11)))
        mstore(0x40, and(mload(sub(at, 7)), 0xffffffff))
        mstore(0x60, and(mload(sub(at, 5)), 0xffff))
        mstore(0xa0, and(mload(sub(at, 3)), 0xffff))
        mstore(0x80, add(at, 29))
        at := add(add(at, 29), mload(0xa0))
      }
      default {
        switch mload(0x40)
        case 0 { mstore(0x20, mload(sub(at, 11))) }
        default { codecopy(sub(add(mload(0x80), mload(0xa0)), 20), sub(at, 0xff), 20) }
        at := add(at, 21)
      }
      let target := mload(0x20)
      if and(flags, 0x40) { target := mload(0xc0) }
      mstore(0xc0, 0)
      let cap := mload(0x40)
      let most := mload(0x60)
      // Beside the cap: memory, and what is returned; an item that is not tried returns 9 bytes, and takes 21 or more.
      let rest := add(20000, add(
        mul(mload(0x00), add(sub(out, mload(0xe0)), add(most, 9))),
        mul(sub(end, at), add(40, div(mload(0x00), 2)))))
      // Asking for an account costs two reads of it, by the dearest rules.
      if iszero(cap) { rest := add(rest, 12000) }
      let left := div(mul(gas(), 63), 64)
      let reduced := 0
      if and(and(lt(left, add(cap, rest)), gt(left, rest)), div(flags, 0x20)) {
        cap := sub(left, rest)
        reduced := 2
      }
      switch lt(left, add(cap, rest))
      case 1 {
        mstore8(out, 2)
        out := add(out, 9)
      }
      default {
        switch cap
        case 0 {
          mstore8(out, 1)
          mstore8(add(out, 8), most)
          mstore(add(out, 9), balance(target))
          if gt(most, 32) { mstore(add(out, 41), extcodesize(target)) }
          out := add(out, add(9, most))
        }
        default {
          let before := gas()
          let done
          switch and(flags, 0x80)
          case 0 { done := staticcall(cap, target, mload(0x80), mload(0xa0), 0, 0) }
          default { done := call(cap, target, 0, mload(0x80), mload(0xa0), 0, 0) }
          let used := sub(before, gas())
          let wanted := returndatasize()
          mstore8(out, or(done, mul(reduced, iszero(done))))
          mstore(add(out, 1), mul(add(mul(used, 0x100000000), wanted), exp(2, 192)))
          if gt(wanted, most) { wanted := most }
          out := add(out, 9)
          returndatacopy(out, 0, wanted)
          if and(done, gt(wanted, 31)) { mstore(0xc0, mload(out)) }
          out := add(out, wanted)
        }
      }
    }
    let begin := mload(0xe0)
    let length := sub(out, begin)
    mstore(sub(begin, 20), length)
    mstore(sub(begin, 24), MARKER)
    FINISH(begin, length)
FUNCTIONS
  }
}
