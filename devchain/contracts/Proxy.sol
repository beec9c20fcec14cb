// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A delegating proxy with its implementation in the slot of ZeppelinOS, as USDC has it.
/// Without an implementation every call reverts.
contract Proxy {
    bytes32 private constant SLOT = keccak256("org.zeppelinos.proxy.implementation");

    event Upgraded(address implementation);

    function upgradeTo(address implementation) external {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            sstore(slot, implementation)
        }
        emit Upgraded(implementation);
    }

    receive() external payable {
        revert();
    }

    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            let implementation := sload(slot)
            if iszero(implementation) {
                revert(0, 0)
            }
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 {
                revert(0, returndatasize())
            }
            default {
                return(0, returndatasize())
            }
        }
    }
}
