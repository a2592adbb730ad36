/** Why a server does not answer this page: it cannot be reached, or it answers others and not pages of other sites. */

/** Milliseconds that an answer is waited for. */
const PATIENCE = 8000;

/**
 * Whether a server answers, but lets no page of another site read what it says (CORS). A browser tells pages neither from the
 * other; a question whose answer cannot be read is answered all the same.
 */
export async function isClosed(url: URL, signal: AbortSignal): Promise<boolean> {
  if (url.origin === location.origin) return false;
  try {
    await fetch(url, {
      mode: "no-cors",
      method: "HEAD",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    return true;
  } catch {
    return false;
  }
}
