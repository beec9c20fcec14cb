import { generate } from 'selfsigned';

/** A certificate for 127.0.0.1 that is its own authority, and its key: PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export async function makeCertificate(): Promise<Certificate> {
  const address = { name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] };
  const subject = [{ name: 'commonName', value: '127.0.0.1' }];
  const made = await generate(subject, { extensions: [address], algorithm: 'sha256' });
  return { cert: made.cert, key: made.private };
}
