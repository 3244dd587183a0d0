// Which lowered lines a source line became, and the other way round.

export interface MappedLine {
  /** 0-based line in the source file */
  readonly source: number;
  /** last source line of the statement */
  readonly sourceEnd: number;
  /** 0-based line in the lowered text */
  readonly lowered: number;
}

export function loweredLines(map: readonly MappedLine[], sourceLine: number): number[] {
  return unique(map.filter((m) => m.source <= sourceLine && sourceLine <= m.sourceEnd).map((m) => m.lowered));
}

export function sourceLines(map: readonly MappedLine[], loweredLine: number): number[] {
  const hits = map.filter((m) => m.lowered === loweredLine);
  const lines: number[] = [];
  for (const hit of hits) for (let line = hit.source; line <= hit.sourceEnd; line++) lines.push(line);
  return unique(lines);
}

function unique(lines: number[]): number[] {
  return [...new Set(lines)].sort((a, b) => a - b);
}
