import { describe, expect, it } from 'vitest'
import { scanFile } from './scan-file.ts'

/** By file name: a text, and the definitions to find in it. */
const TEXTS: Readonly<Record<string, readonly [text: string, expected: readonly string[]]>> = {
  'a.swift': [
    'public struct Session {\n    func request(_ url: String) -> Void {\n    }\n}\nprotocol Retrier {}\n',
    ['class Session', 'method request', 'interface Retrier'],
  ],
  'a.dart': [
    'class Router extends Base {\n  final int x;\n  Router(this.x);\n  void push(String route) {\n    go(route);\n  }\n  int get count => 1;\n}\nmixin Loud on Router {}\nFuture<void> main() async {\n}\n',
    ['class Router', 'method push', 'class Loud', 'function main'],
  ],
  'a.ml': [
    "type 'a tree = Leaf\nmodule Parser = struct\n  let rec parse s = s\nend\nexception Bad\nlet run () = ()\n",
    ['interface tree', 'module Parser', 'function parse', 'class Bad', 'function run'],
  ],
  'a.fs': [
    'module Shop.Cart\ntype Item = { Price: int }\nlet rec total items = 0\ntype Cart() =\n    member this.Add(x) = x\n',
    ['module Shop.Cart', 'interface Item', 'function total', 'interface Cart', 'method Add'],
  ],
  'a.erl': [
    '-module(cart).\n-record(item, {price}).\n-define(LIMIT, 10).\n-spec total(list()) -> integer().\ntotal([]) -> 0;\ntotal([H|T]) ->\n    H + total(T).\n',
    ['module cart', 'class item', 'constant LIMIT', 'function total'],
  ],
  'a.clj': [
    '(ns shop.cart\n  (:require [x.y]))\n(def limit 10)\n(defn- total [items] 0)\n(defprotocol Priced (price [x]))\n(s/defn typed :- s/Int [] 1)\n',
    ['module shop.cart', 'constant limit', 'function total', 'interface Priced', 'function typed'],
  ],
  'a.el': [
    '(defun cart-total (items)\n  0)\n(defvar cart-limit 10)\n',
    ['function cart-total', 'function cart-limit'],
  ],
  'a.rkt': [
    '(define (total items) 0)\n(define-struct item (price))\n',
    ['function total', 'function item'],
  ],
  'a.pl': [
    'package Shop::Cart;\nuse constant LIMIT => 10;\nsub total {\n    my ($self) = @_;\n}\n',
    ['module Shop::Cart', 'constant LIMIT', 'function total'],
  ],
  'a.R': [
    'total_price <- function(items) {\n  0\n}\nCart <- R6Class("Cart")\nsetMethod("show", "Cart", function(object) 1)\nfast = \\(x) x\n',
    ['function total_price', 'class Cart', 'function show', 'function fast'],
  ],
  'a.jl': [
    'module Shop\nconst LIMIT = 10\nmutable struct Cart\n  x\nend\nfunction total!(c::Cart)\n  0\nend\nprice(x) = x + 1\n@inline function fast(x)\nend\nend\n',
    [
      'module Shop',
      'constant LIMIT',
      'class Cart',
      'function total!',
      'function price',
      'function fast',
    ],
  ],
  'a.lua': [
    'local M = {}\nfunction M.total(items)\nend\nlocal function helper()\nend\nM.price = function() end\n',
    ['class M', 'function total', 'function helper', 'function price'],
  ],
  'a.m': [
    '@interface Cart : NSObject\n- (int)totalPrice:(NSArray *)items;\n@end\n@implementation Cart\n- (int)totalPrice:(NSArray *)items {\n}\n+ (Cart *)shared {\n}\n@end\n',
    ['class Cart', 'method totalPrice', 'method shared'],
  ],
  'a.sql': [
    'CREATE TABLE IF NOT EXISTS "shop"."items" (id int);\ncreate or replace function total() returns int as $$\n$$;\nCREATE MATERIALIZED VIEW cheap AS SELECT 1;\n',
    ['function items', 'function total', 'function cheap'],
  ],
  'a.ex': [
    'defmodule Shop.Cart do\n  def total(items), do: 0\n  defp helper(x) do\n  end\n  defmacro priced(x) do\n  end\nend\n',
    ['module Shop.Cart', 'function total', 'function helper', 'function priced'],
  ],
  'a.nim': [
    'type\n  Cart* = ref object\n    x: int\nproc total*(c: Cart): int =\n  0\n',
    ['class Cart', 'function total'],
  ],
  'a.elm': [
    'module Main exposing (..)\ntype alias Model = {}\nupdate : Msg -> Model -> Model\nupdate msg model = model\n',
    ['module Main', 'interface Model', 'function update'],
  ],
  'a.vb': [
    'Public Class Cart\n    Public Function Total() As Integer\n    End Function\nEnd Class\n',
    ['class Cart', 'method Total'],
  ],
  'a.tcl': [
    'proc total {items} {\n}\nproc ::shop::price {x} {\n}\n',
    ['function total', 'function ::shop::price'],
  ],
  'a.bat': ['@echo off\ngoto :build\n:build\necho done\n', ['function build']],
  'a.coffee': [
    'class Cart\n  total: (items) ->\n    0\nprice = (x) -> x\n',
    ['class Cart', 'method total', 'function price'],
  ],
  'a.sv': [
    'module counter #(parameter W = 8) (input clk);\nfunction automatic int next(int x);\n',
    ['module counter', 'function next'],
  ],
  'a.prisma': ['model User {\n  id Int @id\n}\nenum Role {\n}\n', ['class User', 'class Role']],
  'a.sh': [
    'total() {\n  echo 0\n}\nfunction helper {\n  :\n}\n',
    ['function total', 'function helper'],
  ],
}

describe('languages without a grammar', () => {
  it.each(Object.entries(TEXTS))('has the definitions of %s', (path, [text, expected]) => {
    const { symbols } = scanFile(path, text)
    const found = new Set(symbols.map(({ type, name }) => `${type} ${name}`))
    expect([...found]).toEqual(expected)
  })

  it.each([
    ['#!/usr/bin/env python3\n', 'python'],
    ['#!/usr/bin/python3.11 -u\n', 'python'],
    ['#!/usr/bin/env -S node --no-warnings\r\n', 'javascript'],
    ['#! /bin/sh -e\n', 'bash'],
    ['#!/usr/bin/make -f\n', 'make'],
    ['#!/usr/bin/env tclsh8.6\n', 'tcl'],
    ['#!/opt/strange/thing\n', 'text'],
    ['no script\n', 'text'],
  ])('reads the interpreter of %j as %s', (text, language) => {
    expect(scanFile('bin/tool', text).language).toBe(language)
  })

  it('knows the header of Objective-C by what is in it', () => {
    const header = '#import <x.h>\n@protocol Loud\n- (void)shout:(int)times;\n@end\n'
    expect(scanFile('Loud.h', header)).toMatchObject({
      language: 'objective-c',
      symbols: [{ name: 'Loud' }, { name: 'shout' }],
    })
    expect(scanFile('loud.h', 'int shout(int times);\n').language).toBe('c')
  })

  it.each([
    ['config.h.in', 'c'],
    ['settings.py.example', 'python'],
    ['App.podspec', 'ruby'],
    ['go.mod', 'gomod'],
    ['Makefile.am', 'make'],
    ['README', 'text'],
    ['.env.example', 'text'],
  ])('knows %s as %s', (path, language) => {
    expect(scanFile(path, 'x\n').language).toBe(language)
  })

  it('cuts a file of an unknown kind at its blank lines', () => {
    const paragraph = `${'some words of a strange tongue '.repeat(20)}\n\n`
    const { code, language } = scanFile('a.strange', paragraph.repeat(10))
    expect(language).toBe('text')
    expect(code.chunks.length).toBeGreaterThan(3)
    expect(code.chunks.every(({ text }) => text.length <= 1_500)).toBe(true)
  })
})
