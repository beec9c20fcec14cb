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
// Only Byzantium's instructions are used, so that it runs from block 4,370,000 on.
object "Multicall" {
  code {
    // Memory: 0x00 price | 0x20 target | 0x40 cap | 0x60 most | 0x80 calldata | 0xa0 its length | 0xc0 address returned last
    // | 0xe0 begin of the answer | 0x100 input
    let end := add(0x100, sub(codesize(), datasize("Multicall")))
    codecopy(0x100, datasize("Multicall"), sub(end, 0x100))
    mstore(0x00, div(mload(0x100), 0x1000000000000000000000000000000000000000000000000000000000000))
    // One word of room, for the last item's head is read as a whole word.
    mstore(0xe0, add(end, 32))
    let out := mload(0xe0)
    let granted := gas()
    if gt(granted, 0xffffffff) { granted := 0xffffffff }
    mstore(out, or(MARKER_IN_WORD, or(or(
      mul(granted, 0x100000000000000000000000000000000),
      mul(HEIGHT, 0x10000000000000000)),
      timestamp())))
    mstore(add(out, 32), PARENT)
    out := add(out, 64)
    for { let at := 0x102 } lt(at, end) { } {
      let head := mload(at)
      let flags := byte(0, head)
      let account := and(div(head, 0x10000000000000000000000), 0xffffffffffffffffffffffffffffffffffffffff)
      switch and(flags, 0x10)
      case 0 {
        mstore(0x20, account)
        mstore(0x40, and(div(head, 0x100000000000000), 0xffffffff))
        mstore(0x60, and(div(head, 0x10000000000), 0xffff))
        mstore(0xa0, and(div(head, 0x1000000), 0xffff))
        mstore(0x80, add(at, 29))
        at := add(add(at, 29), mload(0xa0))
      }
      default {
        switch mload(0x40)
        case 0 { mstore(0x20, account) }
        default {
          let last := sub(add(mload(0x80), mload(0xa0)), 32)
          mstore(last, or(and(mload(last), 0xffffffffffffffffffffffff0000000000000000000000000000000000000000), account))
        }
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
      if lt(left, add(cap, rest)) {
        if and(and(flags, 0x20), mul(gt(left, rest), 0x20)) {
          cap := sub(left, rest)
          reduced := 1
        }
      }
      switch lt(left, add(cap, rest))
      case 1 {
        mstore(out, 0x0200000000000000000000000000000000000000000000000000000000000000)
        out := add(out, 9)
      }
      default {
        switch cap
        case 0 {
          // status 1, gas used 0
          mstore(out, or(
            0x0100000000000000000000000000000000000000000000000000000000000000,
            mul(most, 0x0000000000000000010000000000000000000000000000000000000000000000)))
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
          mstore(out, or(or(
            mul(or(done, mul(and(reduced, iszero(done)), 2)),
              0x0100000000000000000000000000000000000000000000000000000000000000),
            mul(and(used, 0xffffffff), 0x0000000001000000000000000000000000000000000000000000000000000000)),
            mul(and(wanted, 0xffffffff), 0x0000000000000000010000000000000000000000000000000000000000000000)))
          if gt(wanted, most) { wanted := most }
          out := add(out, 9)
          returndatacopy(out, 0, wanted)
          if and(done, gt(wanted, 31)) {
            mstore(0xc0, and(mload(out), 0xffffffffffffffffffffffffffffffffffffffff))
          }
          out := add(out, wanted)
        }
      }
    }
    let begin := mload(0xe0)
    let length := sub(out, begin)
    mstore(begin, or(mload(begin), mul(length, 0x10000000000000000000000000000000000000000)))
    FINISH(begin, length)
FUNCTIONS
  }
}
