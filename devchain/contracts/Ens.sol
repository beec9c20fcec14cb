// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The registry of EIP-137, as far as reading goes; anyone may write.
contract EnsRegistry {
    struct Record {
        address owner;
        address resolver;
        uint64 ttl;
    }

    mapping(bytes32 => Record) private records;

    event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner);
    event NewResolver(bytes32 indexed node, address resolver);

    function setSubnodeRecord(bytes32 node, bytes32 label, address owner_, address resolver_, uint64 ttl_) external {
        bytes32 subnode = keccak256(abi.encodePacked(node, label));
        records[subnode] = Record(owner_, resolver_, ttl_);
        emit NewOwner(node, label, owner_);
        emit NewResolver(subnode, resolver_);
    }

    function setResolver(bytes32 node, address resolver_) external {
        records[node].resolver = resolver_;
        emit NewResolver(node, resolver_);
    }

    function owner(bytes32 node) external view returns (address) {
        return records[node].owner;
    }

    function resolver(bytes32 node) external view returns (address) {
        return records[node].resolver;
    }

    function ttl(bytes32 node) external view returns (uint64) {
        return records[node].ttl;
    }

    function recordExists(bytes32 node) external view returns (bool) {
        return records[node].owner != address(0);
    }
}

/// Addresses (EIP-137, EIP-2304 for coin 60).
contract EnsResolver {
    mapping(bytes32 => address) private addresses;

    event AddrChanged(bytes32 indexed node, address a);

    function setAddr(bytes32 node, address a) external {
        addresses[node] = a;
        emit AddrChanged(node, a);
    }

    function addr(bytes32 node) public view returns (address) {
        return addresses[node];
    }

    function addr(bytes32 node, uint256 coinType) external view returns (bytes memory) {
        address a = addresses[node];
        return coinType != 60 || a == address(0) ? bytes("") : abi.encodePacked(a);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x3b3b57de || id == 0xf1cb7e06;
    }
}

/// A resolver that sends its reader to a private address (EIP-3668): to be refused.
contract OffchainResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x9061b923;
    }

    function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
        _refer(data);
    }

    function addr(bytes32 node) external view returns (address) {
        _refer(abi.encodePacked(node));
    }

    function _refer(bytes memory data) private view {
        string[] memory urls = new string[](2);
        urls[0] = "http://127.0.0.1:8545/{sender}/{data}";
        urls[1] = "http://169.254.169.254/latest/meta-data/{data}";
        revert OffchainLookup(address(this), urls, data, 0x00000000, "");
    }
}

interface IResolver {
    function supportsInterface(bytes4 id) external view returns (bool);
    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory);
}

/// What ethers asks of the UniversalResolver to resolve a name: the resolver in charge of it (ENSIP-10).
contract UniversalResolver {
    struct ResolverInfo {
        bytes name;
        uint256 offset;
        bytes32 node;
        address resolver;
        bool extended;
    }

    error ResolverNotFound(bytes name);
    error ResolverNotContract(bytes name, address resolver);

    EnsRegistry private constant REGISTRY = EnsRegistry(0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e);

    function findResolver(bytes memory name) public view returns (address resolver, bytes32 node, uint256 offset) {
        return _find(name, 0);
    }

    function requireResolver(bytes memory name) public view returns (ResolverInfo memory info) {
        info.name = name;
        (info.resolver, info.node, info.offset) = _find(name, 0);
        if (info.resolver == address(0)) revert ResolverNotFound(name);
        if (info.resolver.code.length == 0) revert ResolverNotContract(name, info.resolver);
        info.extended = IResolver(info.resolver).supportsInterface(0x9061b923);
        // A resolver found at a parent answers for its children only if it says so.
        if (!info.extended && info.offset != 0) revert ResolverNotFound(name);
    }

    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory result, address) {
        ResolverInfo memory info = requireResolver(name);
        if (info.extended) return (IResolver(info.resolver).resolve(name, data), info.resolver);
        (bool ok, bytes memory answer) = info.resolver.staticcall(data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        return (answer, info.resolver);
    }

    function _find(bytes memory name, uint256 start) private view returns (address resolver, bytes32 node, uint256 offset) {
        uint256 length = uint8(name[start]);
        if (length == 0) return (address(0), bytes32(0), start);
        bytes32 label;
        assembly ("memory-safe") {
            label := keccak256(add(add(name, 33), start), length)
        }
        (resolver, node, offset) = _find(name, start + 1 + length);
        node = keccak256(abi.encodePacked(node, label));
        address own = REGISTRY.resolver(node);
        if (own != address(0)) (resolver, offset) = (own, start);
    }
}
