// actions/github-script against a GitHub that is a folder: comments and pull requests are JSON files.
'use strict';

const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');

const call = JSON.parse(fs.readFileSync(0, 'utf8'));
const file = path.join(call.world, 'comments.json');
const comments = JSON.parse(fs.readFileSync(file, 'utf8'));
const save = () => fs.writeFileSync(file, JSON.stringify(comments, null, 1));

const rest = {
  pulls: {
    list: async ({ state, head }) => {
      const pulls = JSON.parse(fs.readFileSync(path.join(call.world, 'pulls.json'), 'utf8'));
      return { data: pulls.filter((pull) => pull.state === state && pull.head.label === head) };
    },
  },
  issues: {
    listComments: async ({ issue_number }) => ({ data: comments.filter((one) => one.issue === issue_number) }),
    createComment: async ({ issue_number, body }) => {
      if (body.length > 65536) throw new Error('body is too long (maximum is 65536 characters)');
      comments.push({ id: comments.length + 1, issue: issue_number, body, updates: 0, user: { type: 'Bot' } });
      save();
    },
    updateComment: async ({ comment_id, body }) => {
      const found = comments.find((one) => one.id === comment_id);
      Object.assign(found, { body, updates: found.updates + 1 });
      save();
    },
  },
};
const github = { rest, paginate: async (method, given) => (await method(given)).data };
const core = {
  info: (text) => console.log(text),
  setFailed: (text) => {
    console.error(text);
    process.exitCode = 1;
  },
};
const context = call.context;
const AsyncFunction = (async () => {}).constructor;
const required = createRequire(path.join(call.workspace, 'script.js'));
new AsyncFunction('github', 'context', 'core', 'require', call.script)(github, context, core, required).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
