// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// An ERC-20 as the standard wants it, 18 decimals. Anyone may mint: it is a dev chain.
contract StandardToken is ERC20 {
    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}

contract UniToken is StandardToken("", "") {
    function name() public pure override returns (string memory) {
        return "Uniswap";
    }

    function symbol() public pure override returns (string memory) {
        return "UNI";
    }
}

/// Behind UsdcProxy before its upgrade, under another name.
contract UsdcV1 is StandardToken("", "") {
    function name() public pure virtual override returns (string memory) {
        return "Centre USD Coin";
    }

    function symbol() public pure override returns (string memory) {
        return "USDC";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}

contract UsdcV2 is UsdcV1 {
    function name() public pure override returns (string memory) {
        return "USD Coin";
    }
}

/// A token whose name() reverts; everything else works.
contract NamelessToken is StandardToken("", "NONAME") {
    function name() public pure override returns (string memory) {
        revert("no name");
    }
}
