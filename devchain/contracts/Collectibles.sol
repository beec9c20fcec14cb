// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";

/// An ERC-721 as the standard wants it.
contract ApeToken is ERC721("", "") {
    function name() public pure override returns (string memory) {
        return "BoredApeYachtClub";
    }

    function symbol() public pure override returns (string memory) {
        return "BAYC";
    }

    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }
}

/// An ERC-1155 with the name and symbol that many of them have.
contract ItemToken is ERC1155("ipfs://items/{id}") {
    string public constant name = "Dev Chain Items";
    string public constant symbol = "ITEM";

    function mint(address to, uint256 id, uint256 value) external {
        _mint(to, id, value, "");
    }
}
