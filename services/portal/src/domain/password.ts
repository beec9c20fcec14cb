export const MIN_PASSWORD_LENGTH = 10;
/** Longer ones are never hashed: any client can trigger hashing, which is expensive. */
export const MAX_PASSWORD_LENGTH = 256;

const FEWEST_DIFFERENT = 5;

/** The most common passwords of ten or more characters. */
const COMMON = new Set(
  (
    '1234567890 0123456789 9876543210 1q2w3e4r5t 1qaz2wsx3edc qwertyuiop qwerty12345 qwerty123456 asdfghjkl1 ' +
    'password12 password123 password1234 password12345 passw0rd123 p@ssword123 p@ssw0rd123 mypassword ' +
    'iloveyou12 iloveyou123 letmein123 letmein1234 welcome123 welcome1234 administrator admin12345 admin123456 ' +
    'changeme123 football123 baseball123 superman123 princess123 sunshine123 abcdefghij abcdefghijkl ' +
    'abc123456789 a123456789 q1w2e3r4t5y6 zaq12wsxcde3 12345678910 123456789012 1029384756 5555555555 ' +
    'hindsight1 hindsight123 blockchain ethereum123 correcthorsebatterystaple'
  ).split(' '),
);

/** Why a new password is not accepted, for its user; undefined if it is. */
export function faultOfPassword(password: string, email: string | null): string | undefined {
  if (password.length < MIN_PASSWORD_LENGTH) return `Use at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (password.length > MAX_PASSWORD_LENGTH) return `Use at most ${MAX_PASSWORD_LENGTH} characters.`;
  const plain = password.toLowerCase();
  if (COMMON.has(plain)) return 'This password is too common. Choose another one.';
  if (new Set(plain).size < FEWEST_DIFFERENT) return 'Use a greater variety of characters.';
  if (email !== null && (plain === email || plain === email.split('@')[0]))
    return 'Don’t use your email address as your password.';
  return undefined;
}
