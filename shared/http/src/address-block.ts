import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The unit in which limits count clients: an IPv4 address, or the /64 of an IPv6 address, because one
 * customer usually gets 2^64 addresses. IPv4 in IPv6 (`::ffff:…`) is the IPv4 address. Other text is returned
 * unchanged.
 */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
