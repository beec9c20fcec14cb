// The deployless multicall: init code that is never deployed. Sent as the data of an eth_call without `to`, it runs any
// number of calls inside one EVM execution, so that all of them see the same block, and says which block that was.
//
// Appended to the code, one item after another:
//   target (20 bytes) | gas cap (4) | flags and most bytes wanted (2) | calldata length (2) | calldata
//   gas cap 0 asks for the target's wei (most bytes 32) or its wei and code size (64) instead of calling it; flag 0x8000
//   makes the call a CALL (as a plain eth_call would), otherwise it is a STATICCALL; flag 0x4000 calls, in place of the
//   target, the address that the item before returned (none, where it returned none).
// Returned:
//   number (32) | timestamp (32) | hash of the parent block (32), then for each item
//   status (1: 0 failed, 1 succeeded, 2 not tried: too little gas left for the cap) | gas used (4) | size returned (4) |
//   the first min(size, most) bytes
//
// The caps may sum up to more gas than there is: an item is tried only where its whole cap is left, and beside it what
// the rest of the run costs if no other item is tried. A node charges 200 gas for each byte that is returned.
//
// Only Byzantium's instructions are used, so that it runs from block 4,370,000 on.
object "Multicall" {
  code {
    let inputSize := sub(codesize(), datasize("Multicall"))
    codecopy(0, datasize("Multicall"), inputSize)
    // One word of room, for the last item's head is read as a whole word.
    let begin := add(inputSize, 32)
    let out := begin
    mstore(out, number())
    mstore(add(out, 32), timestamp())
    mstore(add(out, 64), blockhash(sub(number(), 1)))
    out := add(out, 96)
    let returnedAddress := 0
    for { let at := 0 } lt(at, inputSize) { } {
      let head := mload(at)
      let target := div(head, 0x1000000000000000000000000)
      let cap := and(div(head, 0x10000000000000000), 0xffffffff)
      let most := and(div(head, 0x1000000000000), 0x3fff)
      let flags := and(div(head, 0x1000000000000), 0xc000)
      let size := and(div(head, 0x100000000), 0xffff)
      let data := add(at, 28)
      at := add(data, size)
      if and(flags, 0x4000) { target := returnedAddress }
      returnedAddress := 0
      // Asking for an account costs two reads of it, by the dearest rules.
      let cost := cap
      if iszero(cap) { cost := 6000 }
      // An item that is not tried returns 9 bytes, and takes 28 or more.
      let rest := add(mul(200, add(sub(out, begin), add(most, 9))), mul(100, sub(inputSize, at)))
      switch lt(div(mul(gas(), 63), 64), add(cost, add(10000, rest)))
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
          switch and(flags, 0x8000)
          case 0 { done := staticcall(cap, target, data, size, 0, 0) }
          default { done := call(cap, target, 0, data, size, 0, 0) }
          let used := sub(before, gas())
          let returned := returndatasize()
          mstore(out, or(or(
            mul(done, 0x0100000000000000000000000000000000000000000000000000000000000000),
            mul(and(used, 0xffffffff), 0x0000000001000000000000000000000000000000000000000000000000000000)),
            mul(and(returned, 0xffffffff), 0x0000000000000000010000000000000000000000000000000000000000000000)))
          let wanted := returned
          if gt(wanted, most) { wanted := most }
          returndatacopy(add(out, 9), 0, wanted)
          out := add(out, 9)
          if and(done, gt(wanted, 31)) {
            returnedAddress := and(mload(out), 0xffffffffffffffffffffffffffffffffffffffff)
          }
          out := add(out, wanted)
        }
      }
    }
    return(begin, sub(out, begin))
  }
}
