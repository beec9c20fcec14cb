// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Destroys itself. Without names and libraries: the code must also run before Cancun, since when contracts stay.
abstract contract Mortal {
    function destroy() external {
        selfdestruct(payable(msg.sender));
    }
}

/// An ERC-721.
contract MortalApes is Mortal {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    mapping(uint256 => address) private owners;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function ownerOf(uint256 tokenId) external view returns (address owner) {
        owner = owners[tokenId];
        require(owner != address(0));
    }

    function mint(address to, uint256 tokenId) external {
        owners[tokenId] = to;
        balanceOf[to] += 1;
        emit Transfer(address(0), to, tokenId);
    }

    function approveFor(address owner, address operator) external {
        isApprovedForAll[owner][operator] = true;
        emit ApprovalForAll(owner, operator, true);
    }
}

/// An ERC-1155.
contract MortalItems is Mortal {
    event TransferSingle(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256 id,
        uint256 value
    );
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    mapping(address => mapping(uint256 => uint256)) public balanceOf;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function mint(address to, uint256 id, uint256 value) external {
        balanceOf[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function approveFor(address owner, address operator) external {
        isApprovedForAll[owner][operator] = true;
        emit ApprovalForAll(owner, operator, true);
    }
}

interface Asset {
    function balanceOf(address holder) external view returns (uint256);
}

/// An ERC-4626 vault: shares are worth what it holds.
contract MortalVault is Mortal {
    event Transfer(address indexed from, address indexed to, uint256 value);

    Asset public immutable asset;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(Asset held) {
        asset = held;
    }

    function mint(address to, uint256 shares) external {
        totalSupply += shares;
        balanceOf[to] += shares;
        emit Transfer(address(0), to, shares);
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return totalSupply == 0 ? shares : (shares * asset.balanceOf(address(this))) / totalSupply;
    }
}
