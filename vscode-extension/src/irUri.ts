// Addresses of lowered documents: pypto-ir:/<entry>.<pass>.pypto-ir?<what it is made from, as JSON>.

export interface LoweredSource {
  /** uri of the kernel file */
  readonly uri: string;
  readonly entry: string;
  /** name of the pass after which the text is shown; "" = before any pass */
  readonly pass: string;
}

export const SOURCE_STAGE = "source";

export function loweredPath(source: LoweredSource): string {
  return `/${source.entry}.${source.pass || SOURCE_STAGE}.pypto-ir`;
}

export function loweredQuery(source: LoweredSource): string {
  return JSON.stringify({ uri: source.uri, entry: source.entry, pass: source.pass });
}

/** The inverse of `loweredQuery`; undefined for anything else. */
export function parseLoweredQuery(query: string): LoweredSource | undefined {
  try {
    const value = JSON.parse(query);
    if (typeof value?.uri === "string" && typeof value.entry === "string" && typeof value.pass === "string") return value;
  } catch {
    // not one of ours
  }
  return undefined;
}
