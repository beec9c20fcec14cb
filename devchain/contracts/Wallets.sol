// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// A wallet of several owners, all of whom sign: their signatures are concatenated in the owners' order.
contract JointWallet is IERC1271 {
    address[] public owners;

    constructor(address[] memory owners_) {
        owners = owners_;
    }

    /// An owner makes room for another.
    function replaceBy(uint256 index, address owner) external {
        require(msg.sender == owners[index], "not this owner");
        owners[index] = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        if (signatures.length != 65 * owners.length) return 0xffffffff;
        for (uint256 i = 0; i < owners.length; i++) {
            (address signer, , ) = ECDSA.tryRecover(hash, signatures[65 * i:65 * i + 65]);
            if (signer != owners[i]) return 0xffffffff;
        }
        return IERC1271.isValidSignature.selector;
    }
}
