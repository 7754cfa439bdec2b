/** A house sticker on the screen. */
import { useEffect, useState } from 'preact/hooks';
import { pictures } from '../effects/pictures.ts';
import { Mark } from './icons.tsx';

/** The last picture stays until the next one is here; a place without any shows our sign, never a broken picture. */
export function Sticker({ url }: { url: string }) {
  const [address, setAddress] = useState(() => pictures.get(url));
  useEffect(() => pictures.want(url, setAddress), [url]);
  if (address === null) return <span class="sticker waiting"><Mark /></span>;
  return <img key={address} class="sticker" src={address} alt="" draggable={false} />;
}
