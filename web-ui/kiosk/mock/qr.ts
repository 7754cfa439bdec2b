/** A picture with the look of a QR code. It cannot be scanned: the real one is drawn by the server. */

const side = 29;
const quiet = 4;

/** A pattern from the letters of a token: finders in three corners, the rest filled. */
export function mockQr(token: string): string {
  let path = '';
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) if (isDark(token, x, y)) path += `M${x + quiet} ${y + quiet}h1v1h-1z`;
  }
  const whole = side + 2 * quiet;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${whole}" shape-rendering="crispEdges"><rect width="${whole}" height="${whole}" fill="#fff"/><path d="${path}" fill="#2b1826"/></svg>`;
}

function isDark(token: string, x: number, y: number): boolean {
  for (const [left, top] of [[0, 0], [side - 7, 0], [0, side - 7]] as const) {
    const [dx, dy] = [x - left, y - top];
    if (dx < -1 || dy < -1 || dx > 7 || dy > 7) continue;
    const ring = Math.max(Math.abs(dx - 3), Math.abs(dy - 3));
    return ring !== 2 && ring !== 4;
  }
  const letter = token.charCodeAt((x * 7 + y * 3) % token.length);
  return ((letter * 2654435761) >>> ((x * 5 + y * 11) % 27)) % 2 === 1;
}
