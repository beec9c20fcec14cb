import { connectService } from '@hindsight/http/http-service.ts';
import type { OtherService } from '@hindsight/http/other-service.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { ServiceUrls } from '@hindsight/kernel/service-settings.ts';

/** Connects to the holders service of each network when it is first asked. */
export function openHolders(
  urls: ServiceUrls | undefined,
  lifecycle: Lifecycle,
): (network: string) => OtherService | undefined {
  return (network) => {
    const [url] = urls?.byNetwork.get(network) ?? urls?.all ?? [];
    if (url === undefined) return undefined;
    const service = connectService('holders', url);
    lifecycle.onStop(`connections to the holders service of ${network}`, () => service.close());
    return service;
  };
}
