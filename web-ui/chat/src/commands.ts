/** Which commands a bot offers, and which of them fit what is being typed. */
import type { Texts } from './texts.ts';
import type { Command } from './types.ts';

/** What is sent for a command: in a group it is addressed to its bot, as apps do it. */
export function written(command: Command | undefined): string {
  const bot = command?.bot === undefined ? '' : `@${command.bot}`;
  return `/${command?.command ?? ''}${bot}`;
}

/** What the bot registered; a bot that registered nothing still has the commands that every guest may use. */
export function offered(registered: readonly Command[] | undefined, t: Texts): Command[] {
  if (registered !== undefined && registered.length > 0) {
    return [...registered];
  }
  return [
    { command: 'mypack', description: t.commandMypack },
    { command: 'help', description: t.commandHelp },
    { command: 'forget_me', description: t.commandForget },
  ];
}

/** The commands that begin as the draft does; none as soon as the draft is more than the beginning of a command. */
export function hints(draft: string, commands: readonly Command[]): Command[] {
  const typed = /^\/([a-z0-9_]*)$/i.exec(draft)?.[1]?.toLowerCase();
  return typed === undefined ? [] : commands.filter(({ command }) => command.startsWith(typed));
}
