// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/interfaces/IERC20.sol";

/// An ERC-4626 vault for UNI: shares are worth what it holds.
contract SavingsToken is ERC4626 {
    constructor() ERC20("Savings UNI", "sUNI") ERC4626(IERC20(0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984)) {}
}
