// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Answers each function with the bytes it was given, unchanged.
contract ScriptedResolver {
    struct Answer {
        bool fails;
        uint256 rounds;
        bytes data;
    }

    mapping(bytes4 => Answer) private answers;

    function script(bytes4 selector, bool fails, uint256 rounds, bytes calldata data) external {
        answers[selector] = Answer(fails, rounds, data);
    }

    fallback() external {
        Answer storage answer = answers[msg.sig];
        bytes32 hash;
        for (uint256 i = 0; i < answer.rounds; i++) hash = keccak256(abi.encode(hash));
        bytes memory data = answer.data;
        bool fails = answer.fails || hash == bytes32(uint256(1));
        assembly {
            if fails { revert(add(data, 32), mload(data)) }
            return(add(data, 32), mload(data))
        }
    }
}

/// Answers for all names below its own (ENSIP-10): the address is made of the name's hash.
contract WildcardResolver {
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9061b923;
    }

    function resolve(bytes calldata name, bytes calldata) external pure returns (bytes memory) {
        return abi.encode(address(uint160(uint256(keccak256(name)))));
    }
}

/// Addresses by coin type (ENSIP-9), the same for all names; for those below its own too if it is extended (ENSIP-10).
contract CoinResolver {
    bool private immutable extended;
    mapping(uint256 => bytes) private addresses;

    constructor(bool extended_) {
        extended = extended_;
    }

    function set(uint256 coinType, bytes calldata a) external {
        addresses[coinType] = a;
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        return id == 0x01ffc9a7 || id == 0x3b3b57de || id == 0xf1cb7e06 || (extended && id == 0x9061b923);
    }

    function addr(bytes32) external view returns (address) {
        return address(bytes20(addresses[60]));
    }

    function addr(bytes32, uint256 coinType) external view returns (bytes memory) {
        return addresses[coinType];
    }

    function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory answer) {
        (, answer) = address(this).staticcall(data);
    }
}

/// Refers to gateways, and believes only what carries its seal (EIP-3668).
contract ReferringResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    string[] private urls;
    address private sender;
    uint256 private times;

    constructor(string[] memory urls_, address sender_, uint256 times_) {
        urls = urls_;
        sender = sender_ == address(0) ? address(this) : sender_;
        times = times_;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9061b923;
    }

    function resolve(bytes calldata name, bytes calldata) external view returns (bytes memory) {
        revert OffchainLookup(sender, urls, name, this.accept.selector, abi.encode(name, times - 1));
    }

    function accept(bytes calldata answer, bytes calldata extra) external view returns (bytes memory) {
        (bytes memory name, uint256 left) = abi.decode(extra, (bytes, uint256));
        if (left > 0) revert OffchainLookup(sender, urls, name, this.accept.selector, abi.encode(name, left - 1));
        (address a, bytes32 seal) = abi.decode(answer, (address, bytes32));
        require(seal == keccak256(abi.encode(a, name)), "not sealed");
        return abi.encode(a);
    }
}
