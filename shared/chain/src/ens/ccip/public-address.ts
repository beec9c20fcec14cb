import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True if an IP address belongs to the public internet: not private, loopback, link-local, carrier-grade NAT,
 * multicast, reserved, nor IPv6 that stands for such an IPv4 address (mapped, NAT64, 6to4, Teredo). False for
 * text that is no address, or not in the usual form.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  // The only block of IPv6 that is allocated to the internet (IANA); the library does not know the rest.
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}
