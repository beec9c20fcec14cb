// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Contracts that programs read values from. Not on the dev chain: tests put them on chains of their own.

/// Makes many calls in one, as strategies of votes expect it of a network.
contract CallAggregator {
    struct Call {
        address target;
        bytes callData;
    }

    function aggregate(Call[] calldata calls) external view returns (uint256 blockNumber, bytes[] memory returnData) {
        blockNumber = block.number;
        returnData = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory answer) = calls[i].target.staticcall(calls[i].callData);
            require(success);
            returnData[i] = answer;
        }
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }
}

/// A feed of prices, as oracles have it.
contract PriceFeed {
    uint8 public constant decimals = 8;
    uint80 public round;
    int256 public answer;
    uint256 public updatedAt;

    function set(int256 answer_, uint256 updatedAt_) external {
        round += 1;
        answer = answer_;
        updatedAt = updatedAt_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        require(round > 0, "No data present");
        return (round, answer, updatedAt, updatedAt, round);
    }
}

/// A pool that remembers its price for a while, as exchanges have it.
contract PricePool {
    address public token0 = address(0xA0);
    address public token1 = address(0xA1);
    uint128 public liquidity = 5;
    uint256 public begun = block.timestamp;
    int56 public constant TICK = -201;

    function observe(uint32[] calldata ago) external view returns (int56[] memory ticks, uint160[] memory seconds_) {
        ticks = new int56[](ago.length);
        seconds_ = new uint160[](ago.length);
        for (uint256 i = 0; i < ago.length; i++) {
            require(block.timestamp - ago[i] >= begun, "OLD");
            ticks[i] = TICK * int56(uint56(block.timestamp - ago[i]));
        }
    }
}
