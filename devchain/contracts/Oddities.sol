// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Contracts that a reader of tokens must survive.
/// A contract that is no token.
contract Counter {
    uint256 public count;

    function increase() external {
        count++;
    }
}

/// Answers name, symbol and balanceOf with a mebibyte.
contract HugeToken {
    uint8 public constant decimals = 18;

    fallback() external {
        assembly {
            return(0, 0x100000)
        }
    }
}

/// Burns all the gas it is given, whatever is asked but decimals.
contract GasBurner {
    uint8 public constant decimals = 18;

    fallback() external {
        while (true) {}
    }
}

/// Answers whatever is asked, balanceOf included, with four bytes where 32 are due.
contract ShortToken {
    fallback() external {
        assembly {
            mstore(0, shl(224, 0xdeadbeef))
            return(0, 4)
        }
    }
}
