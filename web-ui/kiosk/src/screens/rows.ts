/** What the checks of the set-up page mean in words. */
import type { View } from '../view.ts';
import type { Checks } from './checks.ts';

/** A row: what, what was measured, how that is. */
export interface Row {
  id: 'camera' | 'network' | 'key' | 'battery' | 'version';
  name: string;
  value: string;
  tag: string;
  state: 'good' | 'warn' | 'bad' | 'wait';
}

/** A battery below this wants its cable. */
const batteryLow = 50;

/** The measured rows. */
export function checkRows(view: View, checks: Checks): Row[] {
  return [cameraRow(view, checks), networkRow(view, checks), keyRow(view, checks), batteryRow(view, checks), versionRow(view)];
}

function cameraRow({ t }: View, { camera }: Checks): Row {
  const row = { id: 'camera', name: t('setup.camera') } as const;
  switch (camera.is) {
    case 'checking':
      return { ...row, value: t('setup.camera_wait'), tag: t('setup.checking'), state: 'wait' };
    case 'works':
      return { ...row, value: t('setup.camera_size', camera.size), tag: t('setup.works'), state: 'good' };
    case 'denied':
      return { ...row, value: t('setup.camera_denied'), tag: t('setup.none'), state: 'bad' };
    case 'camera':
      return { ...row, value: t('setup.camera_lost'), tag: t('setup.broken'), state: 'bad' };
  }
}

function networkRow({ t }: View, { network }: Checks): Row {
  const row = { id: 'network', name: t('setup.network') } as const;
  switch (network.is) {
    case 'checking':
      return { ...row, value: t('setup.checking'), tag: t('setup.checking'), state: 'wait' };
    case 'there':
      return { ...row, value: t('setup.network_ms', { ms: network.ms }), tag: t('setup.there'), state: 'good' };
    case 'none':
      return { ...row, value: t('setup.network_none'), tag: t('setup.none'), state: 'bad' };
  }
}

function keyRow({ t, memory }: View, { key }: Checks): Row {
  const row = { id: 'key', name: t('setup.key') } as const;
  switch (key) {
    case 'checking':
      return { ...row, value: t('setup.checking'), tag: t('setup.checking'), state: 'wait' };
    case 'good':
      return { ...row, value: t('setup.key_good', { kiosk: memory.kiosk() }), tag: t('setup.good'), state: 'good' };
    case 'bad':
      return { ...row, value: t('setup.key_bad'), tag: t('setup.none'), state: 'bad' };
  }
}

function batteryRow({ t }: View, { battery }: Checks): Row {
  const row = { id: 'battery', name: t('setup.battery') } as const;
  if (battery === null) return { ...row, value: t('setup.battery_unknown'), tag: t('setup.unknown'), state: 'wait' };
  const percent = battery.percent;
  if (battery.charging) return { ...row, value: t('setup.battery_charging', { percent }), tag: t('setup.good'), state: 'good' };
  const low = percent < batteryLow;
  return {
    ...row,
    value: t('setup.battery_draining', { percent }),
    tag: t(low ? 'setup.plug' : 'setup.charged'),
    state: low ? 'warn' : 'good',
  };
}

function versionRow({ t, state }: View): Row {
  const loaded = state.loadedVersion ?? '';
  const newer = state.config !== null && state.config.version !== loaded;
  return {
    id: 'version',
    name: t('setup.version'),
    value: t('setup.version_note', { version: loaded }),
    tag: t(newer ? 'setup.new' : 'setup.fresh'),
    state: newer ? 'warn' : 'good',
  };
}
