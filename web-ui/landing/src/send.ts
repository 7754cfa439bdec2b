/** One form to the server, and what came of it. */

/** The server's answer; anything unreadable is an error, and then what was typed stays. */
export type Answer =
  | { result: 'sent' }
  | { result: 'invalid'; errors: Record<string, string> }
  | { result: 'throttled' }
  | { result: 'error' };

/** The server itself needs up to 15 seconds when both its ways are slow. */
const WAIT_MS = 25_000;

/** Reads the answer's body. */
export function answerOf(body: unknown): Answer {
  if (typeof body !== 'object' || body === null || !('result' in body)) return { result: 'error' };
  const { result } = body;
  if (result === 'sent' || result === 'throttled') return { result };
  if (result !== 'invalid' || !('errors' in body) || typeof body.errors !== 'object' || body.errors === null) {
    return { result: 'error' };
  }
  const errors = Object.entries(body.errors).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return { result: 'invalid', errors: Object.fromEntries(errors) };
}

/** Posts the form's fields. Never throws. */
export async function send(address: string, data: FormData): Promise<Answer> {
  const fields = new URLSearchParams();
  for (const [name, value] of data) if (typeof value === 'string') fields.append(name, value);
  try {
    const response = await fetch(address, {
      method: 'POST',
      body: fields,
      headers: { Accept: 'application/json' },
      signal: AbortSignal.timeout(WAIT_MS),
    });
    return answerOf(await response.json());
  } catch {
    return { result: 'error' };
  }
}
