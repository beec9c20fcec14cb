/* Written by npm run build:verifier, from clients/typescript/src/verify/refused.ts. */
export class Refused extends Error {
  name = 'Refused';
  reason;
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}
