/** Before the first test: the camera's picture. */
import { makeCameraFile } from './camera.ts';

export default async function setup(): Promise<void> {
  await makeCameraFile();
}
