/** A house sticker on the screen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { pictures } from '../effects/pictures.ts';
import { Mark } from './icons.tsx';

interface StickerProps {
  url: string;
  /** The one that was here before is seen being peeled off. */
  peel?: boolean;
}

/** The last picture stays until the next one is here; a place without any shows our sign, never a broken picture. */
export function Sticker({ url, peel = false }: StickerProps) {
  const [address, setAddress] = useState(() => pictures.get(url));
  const before = useRef<string | null>(null);
  const shown = useRef(address);
  useEffect(() => pictures.want(url, setAddress), [url]);
  if (address === null) return <span class="sticker waiting"><Mark /></span>;
  if (shown.current !== address) {
    before.current = shown.current;
    shown.current = address;
  }
  const old = peel ? before.current : null;
  return (
    <>
      {old === null ? null : <img key={`${old} peeled`} class="sticker peeled" src={old} alt="" draggable={false} />}
      <img key={address} class="sticker" src={address} alt="" draggable={false} />
    </>
  );
}
