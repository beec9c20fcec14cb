/** A tenth more than the rate makes up for a balancer that does not spread requests evenly. */
const RATE_TOGETHER = 1.1;
/**
 * Small buckets refuse a client within its rate by chance alone, so they are as large as the promise permits.
 */
const BUCKETS_TOGETHER = 2.3;

/**
 * The share of one of this many gateways; all of it for a single one. All together never grant more than
 * twice a rate over ten seconds, full buckets at the beginning included, while up to half of them are cut
 * off: those keep their shares, while the others divide the rate again. 1.5 × (10 × 1.1 + 2.3) is below 20.
 * @returns its share of the rate, and the size of its bucket in seconds of the whole rate
 */
export function burstShareOf(gateways: number): { readonly rate: number; readonly bucket: number } {
  return { rate: Math.min(1, RATE_TOGETHER / gateways), bucket: Math.min(1, BUCKETS_TOGETHER / gateways) };
}
