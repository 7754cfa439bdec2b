import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hints, offered, written } from './commands.ts';
import { texts } from './texts.ts';

const names = (draft: string) => hints(draft, offered([], texts('en'))).map(({ command }) => command);

test('a slash offers every command, more letters fewer', () => {
  assert.deepEqual(names('/'), ['mypack', 'help', 'forget_me']);
  assert.deepEqual(names('/F'), ['forget_me']);
  assert.deepEqual(names('/x'), []);
});

test('nothing is offered to a text that is no command', () => {
  assert.deepEqual(names(''), []);
  assert.deepEqual(names('a/'), []);
  assert.deepEqual(names('/help me'), []);
});

test('commands that the bot registered replace the known ones', () => {
  const registered = [{ command: 'new', description: 'd' }];
  assert.deepEqual(offered(registered, texts('ru')), registered);
  assert.equal(offered(undefined, texts('ru')).length, 3);
});

test('in a group a chosen command is addressed to its bot', () => {
  assert.equal(written({ command: 'stickers_new', description: 'd', bot: 'stickers_bot' }), '/stickers_new@stickers_bot');
  assert.equal(written({ command: 'help', description: 'd' }), '/help');
});
