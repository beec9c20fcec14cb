// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Tokens that hold ether.
/// Wrapped ether: one token a wei, and deposits emit no Transfer.
contract WrappedEther {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        balanceOf[msg.sender] -= value;
        (bool paid, ) = msg.sender.call{value: value}("");
        require(paid);
        emit Withdrawal(msg.sender, value);
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return transferFrom(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        if (from != msg.sender && allowance[from][msg.sender] != type(uint256).max) {
            allowance[from][msg.sender] -= value;
        }
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}

/// Staked ether: holders own shares of a pool, so that a report changes every balance without one
/// Transfer event. Rounds down, as Lido's does.
contract StakedEther {
    string public constant name = "Liquid staked Ether 2.0";
    string public constant symbol = "stETH";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Rebased(uint256 totalSupply);

    function submit() external payable {
        uint256 shares = totalShares == 0 ? msg.value : sharesFor(msg.value);
        totalSupply += msg.value;
        totalShares += shares;
        sharesOf[msg.sender] += shares;
        emit Transfer(address(0), msg.sender, msg.value);
    }

    /// The oracle's report: what the pool is worth now.
    function report(uint256 pooled) external {
        totalSupply = pooled;
        emit Rebased(pooled);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 shares = sharesFor(value);
        sharesOf[msg.sender] -= shares;
        sharesOf[to] += shares;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return totalShares == 0 ? 0 : (sharesOf[holder] * totalSupply) / totalShares;
    }

    function sharesFor(uint256 value) public view returns (uint256) {
        return (value * totalShares) / totalSupply;
    }
}
